//! The words that invented danmaku are put together from: things, weather and tea. No names, and nothing anybody said.

use super::dice::Dice;

/// What is said over and over: three of them are no words, as in the room.
pub(super) const POPULAR: [&str; 8] = ["叮", "○", "开窗", "呼", "○○○", "♪", "绕圈", "落雪"];

const ONE: [&str; 32] = [
    "云", "茶", "雾", "橘", "帆", "桥", "伞", "钟", "鼓", "船", "霜", "松", "竹", "梨", "杏", "瓷", "锦", "砚", "露",
    "虹", "溪", "岛", "浪", "沙", "贝", "星", "烛", "炉", "窗", "巷", "瓦", "檐",
];

const SHORT: [&str; 24] = [
    "起雾", "收伞", "摇铃", "点灯", "煮茶", "数云", "晒谷", "看潮", "听雨", "扫雪", "剪纸", "放灯", "划桨", "敲钟",
    "扎染", "揉面", "磨墨", "织席", "编篮", "拾贝", "蒸糕", "烤栗", "挂帘", "补网",
];

const THINGS: [&str; 40] = [
    "月亮",
    "茶壶",
    "云朵",
    "橘子",
    "纸船",
    "山路",
    "风筝",
    "灯塔",
    "蜗牛",
    "雨伞",
    "石桥",
    "麦田",
    "毛线",
    "窗台",
    "钟楼",
    "贝壳",
    "松果",
    "火车",
    "书架",
    "面包",
    "小木马",
    "红气球",
    "大西瓜",
    "玻璃球",
    "旧雨靴",
    "向日葵",
    "热汤圆",
    "蓝围巾",
    "铜铃铛",
    "竹蜻蜓",
    "青石板",
    "老水车",
    "糖葫芦",
    "小帆船",
    "萤火虫",
    "蒲公英",
    "棉花田",
    "瓦屋顶",
    "旧邮筒",
    "藤摇椅",
];

const HOW: [&str; 14] =
    ["真", "好", "太", "又", "还", "也", "更", "特别", "居然", "慢慢", "有点", "忽然", "悄悄", "果然"];

const WHAT: [&str; 36] = [
    "好看", "圆润", "暖和", "安静", "清甜", "蓬松", "明亮", "有趣", "柔软", "发光", "转圈", "打盹", "冒泡", "开花",
    "下雪", "唱歌", "飘走", "长高", "发芽", "回甘", "起风", "放晴", "结霜", "泛红", "摇晃", "荡漾", "晒干", "归位",
    "闪光", "滴水", "变绿", "返潮", "绕远", "靠岸", "亮灯", "生锈",
];

const ENDS: [&str; 9] = ["啊", "呀", "呢", "吧", "哦", "啦", "～", "！", "…"];

/// Of the room's texts 10.6 % have no Chinese character. Three of the popular ones, 6.2 %, have none; 4.4 % are others.
const SIGNS_SHARE: f64 = 0.044 / 0.78;
const SIGNS: [&str; 12] = ["○", "●", "△", "▽", "♪", "☆", "→", "◇", "◎", "□", "▲", "＋"];

/// Whether the next new text has no Chinese character.
pub(super) fn of_signs(dice: &mut Dice) -> bool {
    dice.happens(SIGNS_SHARE)
}

/// Signs alone, so many.
pub(super) fn signs(length: usize, dice: &mut Dice) -> String {
    (0..length).map(|_| dice.one(&SIGNS)).collect()
}

/// A text of so many characters.
pub(super) fn say(length: usize, dice: &mut Dice) -> String {
    match length {
        1 => dice.one(&ONE).to_owned(),
        2 if dice.happens(0.4) => dice.one(&SHORT).to_owned(),
        2 if dice.happens(0.4) => dice.one(&THINGS[..20]).to_owned(),
        2 => dice.one(&ONE).to_owned() + dice.one(&ENDS),
        // The longest thing has three.
        _ => sentence(length, dice),
    }
}

/// Things and what they do, until it is long enough; the rest is an ending, drawn out.
fn sentence(length: usize, dice: &mut Dice) -> String {
    let mut text = dice.one(&THINGS).to_owned();
    loop {
        let left = length - text.chars().count();
        let how = dice.one(&HOW);
        if dice.happens(0.6) && how.chars().count() + 2 <= left {
            text.push_str(how);
        }
        if length - text.chars().count() >= 2 {
            text.push_str(dice.one(&WHAT));
        }
        // A comma, three characters for a thing and two for what it does.
        if length - text.chars().count() < 6 {
            break;
        }
        text.push('，');
        text.push_str(dice.one(&THINGS));
    }
    let end = dice.one(&ENDS);
    (text.chars().count()..length).for_each(|_| text.push_str(end));
    text
}
